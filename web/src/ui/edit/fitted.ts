/**
 * Returns what a form held in an earlier release in the shape that it has in this one, given the form with nothing typed. A field that is missing, or that is of
 * another kind, is as it is with nothing typed; so are fields of the lines of a list, given a first line. Returns the same object where all of it fits.
 */
export function fitted<F>(typed: unknown, blank: F): F {
  if (!isFields(blank)) return isOfKind(typed, blank) ? (typed as F) : blank;
  if (!isFields(typed)) return blank;
  const fields = Object.entries(blank).map(([name, value]) => [name, fittedField(typed[name], value)] as const);
  return (fields.every(([name, value]) => typed[name] === value) ? typed : { ...typed, ...Object.fromEntries(fields) }) as F;
}

function fittedField(typed: unknown, blank: unknown): unknown {
  if (!isOfKind(typed, blank)) return blank;
  if (!Array.isArray(typed) || !Array.isArray(blank) || !isFields(blank[0])) return typed;
  const lines = typed.map((line) => fitted(line, blank[0] as unknown));
  return lines.every((line, i) => line === typed[i]) ? typed : lines;
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value can be in the place of another: no value is of any kind. */
function isOfKind(value: unknown, other: unknown): boolean {
  if (value === undefined) return other === undefined;
  if (value === null || other === null || other === undefined) return true;
  return typeof value === typeof other && Array.isArray(value) === Array.isArray(other);
}
