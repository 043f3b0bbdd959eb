export { diff, type Change } from './diff';
export { equal } from './equal';
export { encode, exact, ExactNumber, isObject, JsonSyntaxError, parse, type Json, type JsonObject, type Value } from './json';
export { inOrderOf } from './order';
export { applyPatch, editOf, isPatchable, patchOf, type Edit } from './patch';
export { at, byCodePoint, namesOf, pointerOf } from './pointer';
export { has, resolve, type Choice, type Choices, type Contested, type Resolution } from './resolve';
export { threeWay, type Conflict } from './threeWay';
