export { tones, type Tone } from './colours';
export { resolveVariables, theme } from './theme';
