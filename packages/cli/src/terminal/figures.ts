/** `446015` -> `446,015`. */
export function count(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

/** `92,133` rows a second -> `92k`. */
export function rate(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(1)}M`;
  if (perSecond >= 1e4) return `${Math.round(perSecond / 1e3)}k`;
  return count(perSecond);
}

/** `2.1 ms`, `412 ms`, `5.1 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `78.4 MB`; powers of ten, as disks are sold. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  if (n < 1e9) return `${(n / 1e6).toFixed(1)} MB`;
  return `${(n / 1e9).toFixed(2)} GB`;
}

/** `8412345678903325` -> `8412…3325`; short ids stay whole. */
export function snapshotName(id: string): string {
  return id.length <= 10 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}

/** `1 snapshot`, `3 snapshots`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
