/** JSON values, as requests and responses hold them. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };

export type JsonObject = { readonly [k: string]: Json };
