/** The name of the model that comes with lhs. */
export const DEFAULT_MODEL = 'default';

/** How many numbers its vectors have: known before it is opened. */
export const DEFAULT_MODEL_DIMS = 384;
