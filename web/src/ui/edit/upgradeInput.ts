/**
 * Converts the stored input of an earlier release to the current form. `blank` is the empty form. A
 * field that is missing or of another type gets its value from `blank`. The entries of a list are
 * compared with the first entry of the list in `blank`. If all fields match, the same object is
 * returned.
 */
export function upgradeInput<F>(typed: unknown, blank: F): F {
  if (!isFields(blank)) return hasTypeOf(typed, blank) ? (typed as F) : blank;
  if (!isFields(typed)) return blank;
  const fields = Object.entries(blank).map(([name, value]) => [name, upgradeField(typed[name], value)] as const);
  return (fields.every(([name, value]) => typed[name] === value) ? typed : { ...typed, ...Object.fromEntries(fields) }) as F;
}

function upgradeField(typed: unknown, blank: unknown): unknown {
  if (!hasTypeOf(typed, blank)) return blank;
  if (!Array.isArray(typed) || !Array.isArray(blank) || !isFields(blank[0])) return typed;
  const lines = typed.map((line) => upgradeInput(line, blank[0] as unknown));
  return lines.every((line, i) => line === typed[i]) ? typed : lines;
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values have the same type; null has any type. */
function hasTypeOf(value: unknown, other: unknown): boolean {
  if (value === undefined) return other === undefined;
  if (value === null || other === null || other === undefined) return true;
  return typeof value === typeof other && Array.isArray(value) === Array.isArray(other);
}
