export { type Tone } from './colours';
export { resolveVariables, theme } from './theme';
