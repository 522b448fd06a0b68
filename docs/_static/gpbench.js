// Blocks that scroll sideways can be reached and scrolled with the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("div.highlight pre, .pst-scrollable-table-container")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
