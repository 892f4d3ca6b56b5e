/** Model Context Protocol over any `Backend`: stdio in the command, HTTP in the gateway. */
export {};
