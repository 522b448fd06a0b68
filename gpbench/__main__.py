from gpbench.cli import main

main()
