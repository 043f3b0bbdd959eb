import { equal, type Json, type JsonObject } from '@/merge';

const members = ['value', 'valueType', 'remark', 'schema'] as const;

/** One member in which two versions of a config differ; undefined where one has none. */
export interface Step {
  member: (typeof members)[number];
  before: Json | undefined;
  after: Json | undefined;
}

/** What leads from one version of a config to another. */
export function stepsBetween(before: JsonObject, after: JsonObject): Step[] {
  return members.filter((member) => !equal(before[member], after[member])).map((member) => ({ member, before: before[member], after: after[member] }));
}
