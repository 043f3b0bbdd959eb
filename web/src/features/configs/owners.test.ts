import { expect, test } from 'vitest';
import { programOf, programsOf } from './owners';

const since = '2026-01-31T09:30:00.000000Z';
const config = {
  owner: {
    value: { manager: 'git:main', revision: 'abc', since },
    remark: { manager: 'user:li', revision: '', since },
    secret: { manager: 'git:main', revision: 'abc', since },
  },
};

test('programs own fields and the type of their value; users exclude no other user', () => {
  expect(programOf(config, 'value')?.revision).toBe('abc');
  expect(programOf(config, 'valueType')?.manager).toBe('git:main');
  expect(programOf(config, 'remark')).toBeUndefined();
  expect(programOf(config, 'schema')).toBeUndefined();
  expect(programsOf(config, ['remark', 'value', 'valueType', 'secret'])).toEqual(['git:main']);
});
