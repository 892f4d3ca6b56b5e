/** A document's key as it travels. */
export type Coordinates = {
  readonly partition?: readonly KeyPart[];
  readonly identifier: readonly KeyPart[];
};

/** One identifying column of a row: its name and the canonical text of its value. */
export type KeyPart = {
  readonly name: string;
  readonly value: string;
};

/** A key as one text: names and values of its columns. */
export function keyText({ partition = [], identifier }: Coordinates): string {
  return JSON.stringify([...partition, ...identifier].map(({ name, value }) => [name, value]));
}
