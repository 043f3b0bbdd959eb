import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch, byCodePoint, diff, encode, equal, exact, isPatchable, JsonSyntaxError, parse, patchOf, threeWay, type Json, type JsonObject } from '.';

const cases = parse(readFileSync('../api/merge-cases.json', 'utf8')) as unknown as {
  patch: { name: string; doc: Json; patch: Json; want: Json }[];
  threeWay: (JsonObject & { name: string; base: Json; yours: Json; theirs: Json })[];
};

test('the shared cases exist', () => {
  expect(cases.patch.length).toBeGreaterThanOrEqual(15);
  expect(cases.threeWay.length).toBeGreaterThanOrEqual(40);
});

describe('a patch equals that of the service', () => {
  test.each(cases.patch)('$name', ({ doc, patch, want }) => {
    const before = encode(doc);
    const got = applyPatch(doc, patch);
    expect(equal(got, want), `${encode(got)} is not ${encode(want)}`).toBe(true);
    expect(encode(doc)).toBe(before);
  });
});

describe('a three-way merge equals that of the service', () => {
  test.each(cases.threeWay)('$name', (c) => {
    const got = threeWay(c.base, c.yours, c.theirs);

    expect(got.theirsOnly).toEqual(c.theirsOnly);
    expect(got.yoursOnly).toEqual(c.yoursOnly);
    expect(got.autoMergeable).toBe(c.autoMergeable);
    const conflicts = exact(got.conflicts);
    expect(equal(conflicts, c.conflicts), `${encode(conflicts)} is not ${encode(c.conflicts ?? null)}`).toBe(true);
    expect(equal(got.merged, c.merged), `${encode(got.merged ?? null)} is not ${encode(c.merged ?? null)}`).toBe(true);
  });
});

// With few names and few values the two sides often change the same pointer.
const names = fc.constantFrom('a', 'b', 'c', '', 'a/b', '~', 'é', '__proto__');
const scalars = fc.constantFrom('null', 'true', '""', '"x"', '0', '1', '1.0', '1e2', '9007199254740993').map(parse);
const documents: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: false }).map((object) => exact(object)),
  ),
})).value;

test('merging with an unchanged side returns the other side', () => {
  fc.assert(
    fc.property(documents, documents, (base, edited) => {
      expect(equal(threeWay(base, edited, base).merged, edited)).toBe(true);
      expect(equal(threeWay(base, base, edited).merged, edited)).toBe(true);
    }),
  );
});

test('merging commutes', () => {
  fc.assert(
    fc.property(documents, documents, documents, (base, a, b) => {
      const forth = threeWay(base, a, b);
      const back = threeWay(base, b, a);
      expect(back.yoursOnly).toEqual(forth.theirsOnly);
      expect(back.conflicts.map((c) => c.pointer)).toEqual(forth.conflicts.map((c) => c.pointer));
      expect(equal(forth.merged, back.merged)).toBe(true);
    }),
  );
});

test('a difference is empty only for equal documents', () => {
  fc.assert(
    fc.property(documents, documents, (a, b) => {
      expect(diff(a, b).length === 0).toBe(equal(a, b));
    }),
  );
});

test('parsing and writing preserves documents and number spelling', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom(0, 2), (doc, indent) => {
      const text = encode(doc, indent);
      expect(encode(parse(text), indent)).toBe(text);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }),
  );
  expect(encode(parse('{"a":1.50,"b":9007199254740993,"c":-0}'))).toBe('{"a":1.50,"b":9007199254740993,"c":-0}');
});

test('a text is accepted exactly when JSON.parse accepts it', () => {
  const accepted = (read: () => unknown) => {
    try {
      read();
      return true;
    } catch {
      return false;
    }
  };
  const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '"\\x"', '1', '-', '01', '1.', '1e5', '.5', 'true', 'nul', ' ', '\n', '"');
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      (text) => {
        expect(
          accepted(() => parse(text)),
          text,
        ).toBe(accepted(() => JSON.parse(text) as unknown));
      },
    ),
    { numRuns: 2000 },
  );
});

test('a syntax error has its position', () => {
  expect.assertions(2);
  try {
    parse('{"a": 1, b}');
  } catch (error) {
    expect(error).toBeInstanceOf(JsonSyntaxError);
    expect((error as JsonSyntaxError).offset).toBe(9);
  }
});

test('the patch of an edit contains only changed members', () => {
  const base = exact({ value: { a: 1, b: 2, c: 3 }, remark: 'x', schema: { type: 'object' } }) as JsonObject;
  const edited = exact({ value: { a: 1, b: 3 }, remark: 'x' }) as JsonObject;

  expect(encode(patchOf(base, edited))).toBe('{"value":{"b":3,"c":null},"schema":null}');
  expect(encode(patchOf(base, base))).toBe('{}');
});

test('a patch transforms a document into another, except to null', () => {
  fc.assert(
    fc.property(documents, documents, (a, b) => {
      const [base, edited] = [exact({ a }) as JsonObject, exact({ a: b }) as JsonObject];
      fc.pre(!encode(edited).includes('null'));
      expect(isPatchable(base, edited)).toBe(true);
    }),
  );
  expect(isPatchable(exact({ a: 1 }) as JsonObject, exact({ a: null }) as JsonObject)).toBe(false);
});

test('text is ordered by code point', () => {
  expect(['\u{1f6b2}', '\ufffd', 'ab', 'a', ''].sort(byCodePoint)).toEqual(['', 'a', 'ab', '\ufffd', '\u{1f6b2}']);
});
