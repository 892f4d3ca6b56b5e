/** True if LHS_WASM=0 selects plain loops instead of WebAssembly. */
export const plainLoops = (): boolean => process.env.LHS_WASM === '0';
