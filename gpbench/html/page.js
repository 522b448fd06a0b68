/* What the page does beyond being read: sorting, filters, the trials behind a number, points that tell, switches of the
   legend. Texts are only ever set as text. The state is in the address, so that a link keeps a view. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FILTERS = { data: "data set", method: "method", metric: "metric", verdict: "verdict" };
  const KEYS = ["at", ...Object.keys(FILTERS), "sort", "open"];
  let state = {};

  const all = (what, root = document) => [...root.querySelectorAll(what)];
  const one = (what, root = document) => root.querySelector(what);
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  function set(element, attributes, ...children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }
  const make = (tag, attributes = {}, ...children) => set(document.createElement(tag), attributes, ...children);
  function button(content, attributes, onClick) {
    const made = make("button", { type: "button", ...attributes }, ...content);
    made.addEventListener("click", onClick);
    return made;
  }

  // ---- the state, kept after the # of the address ----------------------------------------------------------------
  function read() {
    const text = location.hash.slice(1);
    const found = new URLSearchParams(text.includes("=") ? text : { at: text });
    state = Object.fromEntries(KEYS.filter((key) => found.get(key)).map((key) => [key, found.get(key)]));
  }
  function write(change) {
    state = { ...state, ...change };
    const kept = KEYS.filter((key) => state[key]).map((key) => [key, state[key]]);
    history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
  }

  // ---- trials: places in the columns of `data` -------------------------------------------------------------------
  const starts = [];
  if (data) data.series.reduce((sum, series) => (starts.push(sum), sum + series.count), 0);

  function placesOf(text) {
    const ends = text.split(",").map((part) => part.split("-").map((end) => Math.min(Number(end), data.id.length)));
    const run = ([first, last = first]) => Array.from({ length: last - first + 1 }, (_, k) => first + k);
    return ends.flatMap(run).filter((i) => i in data.id);
  }
  const seriesOf = (place) => data.series[starts.findLastIndex((start) => start <= place)];
  const named = (quantity) => data.names[quantity] || quantity || "value";
  const at = (column, i) => (column.length === 1 ? column[0] : column[i]);  // a column of one value holds it once
  const valueOf = (quantity, i) => at(data.values[quantity] || data.extra[quantity] || {}, i) ?? null;
  const digits = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));

  function told(quantity, places) {
    const known = places.map((i) => valueOf(quantity, i)).filter((v) => v !== null), n = known.length;
    if (!n) return plural(places.length, "trial");
    const mean = known.reduce((a, b) => a + b) / n;
    const spread = Math.sqrt(known.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1));
    return `${named(quantity)} ${digits(mean)}${n > 1 ? ` ± ${digits(spread)}` : ""} (${plural(n, "trial")})`;
  }
  function titleOf(places) {
    const found = [...new Set(places.map(seriesOf))];
    const each = (key) => [...new Set(found.map((s) => s[key]))].filter((v) => v !== undefined).join(", ");
    return `${each("method")} on ${each("data")}${each("d") && `, d_max ${each("d")}`}`;
  }

  // ---- the trials behind a number --------------------------------------------------------------------------------
  const dialog = make("dialog", { "aria-labelledby": "trials-title" });

  function trialRow(i, quantity) {
    const [status, reason] = data.odd[i] || ["ok"], notes = (data.notes[i] || []).map((k) => data.texts[k]);
    const again = `${data.command} ${seriesOf(i).again} --trials ${at(data.trial, i)} -o again`;
    const log = data.logs[i] || "No log: the trial printed nothing, or its log is not kept here.";
    const told = [reason, ...notes].filter(Boolean).map((note) => make("p", { class: "note" }, make("bdi", {}, note)));
    const more = make("details", {}, make("summary", {}, data.id[i]), make("pre", {}, again), ...told,
      make(data.logs[i] ? "pre" : "p", { class: "note" }, log));
    const remark = notes.length ? `${status}, ${plural(notes.length, "note")}` : status;
    const times = ["fit_seconds", "total_seconds"].map((q) => digits(valueOf(q, i)));
    const cells = [digits(valueOf(quantity, i)), String(at(data.seed, i) ?? "–"), ...times, remark];
    return make("tr", {}, make("th", { scope: "row" }, String(at(data.trial, i))),
      ...cells.map((c) => make("td", {}, c)), make("td", { class: "left" }, more));
  }
  function openTrials(text) {
    const dot = text.lastIndexOf("."), places = placesOf(text.slice(0, dot)), quantity = text.slice(dot + 1);
    if (!places.length) return;
    const names = ["trial", named(quantity), "seed", "fit, s", "total, s", "status", "id: command, notes, log"];
    const heads = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
    const table = make("table", {}, make("thead", {}, heads),
      make("tbody", {}, ...places.map((i) => trialRow(i, quantity))));
    const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Trials" }, table);
    const title = make("h2", { id: "trials-title" }, make("bdi", {}, titleOf(places)));
    dialog.replaceChildren(make("header", {}, title, button(["Close"], {}, () => dialog.close())),
      make("div", { class: "body" }, make("p", {}, told(quantity, places)), box));
    if (!dialog.open) dialog.showModal();
    write({ open: text });
  }

  function asButtons() {
    for (const cell of all("figure.table td, .number[data-t]")) {
      const table = cell.closest("table"), places = cell.dataset.t || cell.parentNode.dataset.t;
      const quantity = cell.dataset.q || (table && headsOf(table)[cell.cellIndex].dataset.q) || "";
      if (!cell.textContent || !(cell.dataset.t || (places && quantity))) continue;
      const attributes = { class: "number", "aria-haspopup": "dialog", tabindex: table ? "-1" : "0" };
      cell.append(button(cell.childNodes, attributes, () => openTrials(`${places}.${quantity}`)));
    }
    for (const table of all("table")) {
      const first = one("button.number", table);
      if (first) first.tabIndex = 0;  // one stop of the tab key per table; arrows go from number to number
      table.addEventListener("keydown", walk);
    }
  }

  function walk(event) {
    const from = event.target.closest("button.number"), cell = from && from.closest("td");
    const side = { ArrowUp: "previous", ArrowDown: "next", ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    if (!cell || !side) return;
    event.preventDefault();
    const upright = event.key === "ArrowUp" || event.key === "ArrowDown", sibling = `${side}ElementSibling`;
    for (let to = cell, row = cell.parentNode; to; ) {
      if (upright) row = row[sibling];
      to = upright ? row && (row.cells[cell.cellIndex] || row.cells[0]) : to[sibling];
      const next = to && one("button.number", to);
      if (next && next.offsetParent) return moveFocus(from, next);
    }
  }
  const moveFocus = (from, to) => (set(from, { tabindex: -1 }), set(to, { tabindex: 0 }).focus());

  // ---- sorting, within the sections of a table -------------------------------------------------------------------
  const tables = new Map(all("figure.table").map((figure) => [figure.id, one("table", figure)]));
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  const headsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const isSection = (row) => row.className === "section";
  const rowsOf = (table) => [...table.tBodies[0].rows].filter((row) => !row.classList.contains("why"));
  const reasonOf = (row) => {  // its second line, which moves and hides with it
    const next = row.nextElementSibling;
    return (row.reason ??= next && next.classList.contains("why") ? [next] : []);
  };
  const allRows = () => [...tables.values()].flatMap(rowsOf);

  function compare(a, b, sign) {
    if (a === "" || b === "") return (a === "") - (b === "");  // empty last, whichever way
    const gap = parseFloat(a) - parseFloat(b);
    return sign * (Number.isNaN(gap) ? a.localeCompare(b, "en", { numeric: true }) : gap);
  }
  function sort(table, column, order) {
    headsOf(table).forEach((head, k) => set(head, { "aria-sort": k === column ? order : "none" }));
    const sign = { ascending: 1, descending: -1 }[order], rows = rowsOf(table);
    rows.forEach(reasonOf);
    const text = (row) => (sign && !isSection(row) ? row.cells[column].textContent.trim().replace("−", "-") : "0");
    const key = new Map(rows.map((row) => [row, text(row)])), by = (a, b) => compare(key.get(a), key.get(b), sign || 1);
    const before = (a, b) => a.chapter - b.chapter || isSection(b) - isSection(a) || by(a, b) || a.place - b.place;
    table.tBodies[0].append(...rows.sort(before).flatMap((row) => [row, ...row.reason]));
  }

  function makeSortable(table, id) {
    let chapter = 0;
    rowsOf(table).forEach((row, place) => Object.assign(row, { chapter: (chapter += isSection(row)), place }));
    headsOf(table).forEach((head, column) => {
      const onClick = () => {
        const order = NEXT[head.getAttribute("aria-sort")];
        const others = (state.sort || "").split(",").filter((s) => s && !s.startsWith(`${id}:`));
        write({ sort: [...others, ...(order === "none" ? [] : [`${id}:${column}:${order}`])].join(",") });
        sort(table, column, order);
      };
      set(head, { "aria-sort": "none" }).append(button(head.childNodes, { class: "sort" }, onClick));
    });
  }
  function applySort() {
    const wanted = new Map((state.sort || "").split(",").map((s) => [s.split(":")[0], s.split(":")]));
    for (const [id, table] of tables) {
      const [, column, order] = wanted.get(id) || [];
      if (order in NEXT && headsOf(table)[column]) sort(table, Number(column), order);
      else if (headsOf(table).some((head) => head.getAttribute("aria-sort") !== "none")) sort(table, -1, "none");
    }
  }

  // ---- filters ---------------------------------------------------------------------------------------------------
  const isMetric = (quantity) => Boolean(data) && data.metrics.includes(quantity);

  function tagsOf(part) {
    if (part.tags) return part.tags;
    const cells = [part, ...all("[data-t], td[data-q]", part)], known = cells.filter((c) => data && c.dataset.t);
    const series = known.map((cell) => seriesOf(parseInt(cell.dataset.t, 10)));
    const also = (own, key) => [own, ...series.map((s) => s[key])], verdicts = all(".verdict", part);
    const tags = { data: also(part.dataset.d, "data"), method: also(part.dataset.m, "method"),
      metric: cells.map((c) => c.dataset.q).filter(isMetric), verdict: verdicts.map((v) => v.textContent) };
    for (const key of Object.keys(tags)) tags[key] = new Set(tags[key].filter(Boolean));
    return (part.tags = tags);
  }
  /* What says nothing of a filter's subject stays. */
  function fits(part, keys = Object.keys(FILTERS)) {
    const tags = tagsOf(part);
    return keys.every((key) => !state[key] || !tags[key].size || tags[key].has(state[key]));
  }
  function showColumns(table) {
    const heads = headsOf(table), groups = table.tHead.rows.length > 1 ? [...table.tHead.rows[0].cells].slice(1) : [];
    const off = heads.map((h) => Boolean(state.metric) && isMetric(h.dataset.q) && h.dataset.q !== state.metric);
    const whole = [...table.rows].filter((row) => row.cells.length === heads.length);
    for (const row of whole) [...row.cells].forEach((cell, k) => (cell.hidden = off[k]));
    let at = 1;
    for (const group of groups) {
      group.span = group.span || group.colSpan;
      const left = off.slice(at, (at += group.span)).filter((o) => !o).length;
      Object.assign(group, { hidden: !left, colSpan: left || 1 });
    }
  }

  function applyFilters() {
    for (const table of tables.values()) {
      const rows = rowsOf(table), inside = new Set();
      showColumns(table);
      for (const row of rows.filter((r) => !isSection(r))) if (!(row.hidden = !fits(row))) inside.add(row.chapter);
      for (const row of rows.filter(isSection)) row.hidden = !inside.has(row.chapter);
      for (const row of rows) for (const reason of reasonOf(row)) reason.hidden = row.hidden;
    }
    for (const part of all(".said, .said p[data-q]")) part.hidden = !fits(part, ["data", "metric"]);
    for (const figure of all("figure.chart")) figure.hidden = !fits(figure);
    const isOther = (line) => Boolean(state.method) && line.dataset.name !== state.method;
    for (const line of all("figure.chart [data-k]")) line.classList.toggle("other", isOther(line));
    for (const select of all(".filters select")) select.value = state[select.name] || "";
    const rows = allRows().filter((row) => !isSection(row));
    const output = one(".filters output"), some = Object.keys(FILTERS).some((key) => state[key]);
    if (output) output.textContent = some ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  }

  function addFilters(form) {
    for (const [key, label] of Object.entries(FILTERS)) {
      const found = key === "metric" ? (data ? data.metrics : []) : allRows().flatMap((row) => [...tagsOf(row)[key]]);
      const values = [...new Set(found)];
      if (values.length < 2) continue;
      const options = values.map((v) => make("option", { value: v }, key === "metric" ? named(v) : v));
      const select = make("select", { name: key }, make("option", { value: "" }, "all"), ...options);
      select.addEventListener("change", () => (write({ [key]: select.value }), applyFilters()));
      form.append(make("label", {}, label, select));
    }
    if (!form.children.length) return;
    const reset = () => (write(Object.fromEntries([...Object.keys(FILTERS), "sort"].map((key) => [key, ""]))), apply());
    form.append(button(["Reset"], {}, reset), make("output", { "aria-live": "polite" }));
    form.hidden = false;
  }

  // ---- the cards of the site: a search ---------------------------------------------------------------------------
  function addSearch(form) {
    const field = one("input", form), output = one("output", form), cards = all("[data-find]");
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const card of cards) card.hidden = !words.every((word) => card.dataset.find.includes(word));
      for (const part of all("section.group, #papers")) part.hidden = all("[data-find]", part).every((card) => card.hidden);
      output.textContent = words.length ? `${cards.filter((card) => !card.hidden).length} of ${cards.length}` : "";
    });
  }

  // ---- charts: points that tell, legends that switch, files to take along ----------------------------------------
  const tip = make("div", { class: "tip", hidden: "", "aria-hidden": "true" });

  function pointLabel(point, quantity) {
    if (point.dataset.tip) return point.dataset.tip;
    const places = placesOf(point.dataset.t || "");
    return `${titleOf(places)}: ${told(quantity, places)}, ${told("total_seconds", places)}`;
  }
  function pointAt(svg, to) {
    for (const before of all(".at", svg)) before.classList.remove("at");
    tip.hidden = !to;
    if (!to) return;
    to.classList.add("at");
    tip.textContent = to.getAttribute("aria-label");
    const box = to.getBoundingClientRect(), above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(4, Math.min(box.right + 8, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
  }
  function nearest(points, event) {
    const boxes = points.map((point) => [point, point.getBoundingClientRect()]).filter(([, box]) => box.width);
    const away = ([, box]) => Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    const best = boxes.sort((a, b) => away(a) - away(b))[0];
    return best && away(best) < 28 ? best[0] : null;
  }

  function tellPoints(figure) {
    const svg = one("svg", figure), points = all("[data-t], [data-tip]", svg);
    const open = (point) => point && point.dataset.t && openTrials(`${point.dataset.t}.${figure.dataset.q}`);
    points.forEach((point, k) => {
      const label = pointLabel(point, figure.dataset.q);
      set(point, { role: "button", tabindex: k ? "-1" : "0", "aria-label": label });
      point.addEventListener("focus", () => pointAt(svg, point));
      point.addEventListener("blur", () => pointAt(svg, null));
    });
    svg.addEventListener("pointermove", (event) => pointAt(svg, nearest(points, event)));
    svg.addEventListener("pointerleave", () => pointAt(svg, null));
    svg.addEventListener("click", (event) => open(nearest(points, event)));
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") return event.preventDefault(), open(event.target);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const shown = points.filter((point) => point.getBoundingClientRect().width);
      const next = step && shown[(shown.indexOf(event.target) + step + shown.length) % shown.length];
      if (next) event.preventDefault(), moveFocus(event.target, next);
    });
  }
  function makeSwitches(figure) {
    for (const item of all(".legend li[data-k]", figure)) {
      const lines = all(`svg > g[data-k="${item.dataset.k}"]`, figure);
      for (const part of [item, ...lines]) part.dataset.name = item.textContent.replace(/ \(cache\)$/, "");
      const entry = button(item.childNodes, { "aria-pressed": "true" }, () => {
        const on = entry.getAttribute("aria-pressed") === "false";
        set(entry, { "aria-pressed": on });
        for (const line of lines) line.classList.toggle("off", !on);
      });
      item.append(entry);
    }
  }

  /* The drawing with the page's style and shapes in it, its legend below, its caption as description. */
  function standAlone(figure) {
    const svg = one("svg", figure), copy = svg.cloneNode(true), { width, height } = svg.viewBox.baseVal;
    const add = (tag, attributes, ...children) =>
      set(document.createElementNS(svg.namespaceURI, tag), attributes, ...children);
    const entries = all(".legend li", figure), tall = height + 20 * entries.length + 6;
    entries.forEach((item, k) => {
      const swatch = one("svg", item), text = add("text", { x: 36, y: 10 }, item.textContent);
      const place = { transform: `translate(20 ${height + 20 * k})`, class: swatch.getAttribute("class") || "" };
      copy.append(add("g", place, ...swatch.cloneNode(true).childNodes, text));
    });
    copy.prepend(add("desc", {}, one("figcaption bdi", figure).textContent), add("style", {}, one("style").textContent),
      one(".shapes defs").cloneNode(true), add("rect", { width, height: tall, class: "ground" }));
    set(copy, { viewBox: `0 0 ${width} ${tall}`, width: 2 * width, height: 2 * tall, class: figure.className });
    return new XMLSerializer().serializeToString(copy);
  }
  function takeAlong(figure) {
    const name = one("svg", figure).getAttribute("aria-label");
    const onClick = () => {
      const href = URL.createObjectURL(new Blob([standAlone(figure)], { type: "image/svg+xml" }));
      make("a", { download: `${figure.id}.svg`, href }).click();
      setTimeout(() => URL.revokeObjectURL(href), 1000);
    };
    one("figcaption", figure).append(" ", button(["SVG"], { class: "take", "aria-label": `SVG of ${name}` }, onClick));
  }

  // ---- start -----------------------------------------------------------------------------------------------------
  function apply() {
    applySort();
    applyFilters();
    if (state.open && data) openTrials(state.open);
    else if (dialog.open) dialog.close();
    const part = state.at && document.getElementById(state.at);
    if (part) part.scrollIntoView();
  }

  document.body.append(dialog, tip);
  dialog.addEventListener("close", () => write({ open: "" }));
  for (const [id, table] of tables) makeSortable(table, id);
  if (data) asButtons();
  if (one(".filters")) addFilters(one(".filters"));
  if (one(".search")) addSearch(one(".search"));
  for (const figure of all("figure.chart")) tellPoints(figure), makeSwitches(figure), takeAlong(figure);
  for (const image of all("figure.drawn[id] img")) {
    const link = make("a", { download: `${image.parentNode.id}.svg`, href: image.src }, "SVG");
    one("figcaption", image.parentNode).append(" ", link);
  }
  for (const link of all('nav a[href^="#"]')) {
    const go = () => (write({ at: link.hash.slice(1) }), one(link.hash).scrollIntoView());
    link.addEventListener("click", (event) => (event.preventDefault(), go()));
  }
  addEventListener("hashchange", () => (read(), apply()));
  read();
  apply();
})();
