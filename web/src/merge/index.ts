export { diff, type Change } from './diff';
export { equal } from './equal';
export { encode, exact, ExactNumber, isObject, JsonSyntaxError, parse, type Json, type JsonObject, type Value } from './json';
export { applyPatch, isPatchable, patchOf } from './patch';
export { at, byCodePoint, namesOf, pointerOf } from './pointer';
export { threeWay, type Conflict, type Result } from './threeWay';
