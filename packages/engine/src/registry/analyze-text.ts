/** The tokens of a text with positions and UTF-16 offsets, for people. */
export { analyzeToTokens as analyzeText } from '../analysis/tokens.ts';
