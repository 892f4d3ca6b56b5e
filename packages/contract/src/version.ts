/** The version of all packages: what services, commands and descriptions say. */
export const VERSION = '0.1.0';
