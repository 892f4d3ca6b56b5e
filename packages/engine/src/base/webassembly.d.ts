/**
 * The part of the WebAssembly JavaScript interface that the engine uses: @types/node does not
 * declare it.
 */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>;
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Exports;
  }
}
