declare const refused: unique symbol;

/** No value has this type: errors of the compiler print both of its arguments. */
export interface UnknownKey<Key, DidYouMean> {
  readonly [refused]: readonly [Key, DidYouMean];
}

type Initial<K> = K extends `${infer I}${string}` ? I : never;

/** Known keys with the first letter of `K`, or else all. */
export type Alike<K, Known> = [Extract<Known, `${Initial<K>}${string}`>] extends [never]
  ? Known
  : Extract<Known, `${Initial<K>}${string}`>;
