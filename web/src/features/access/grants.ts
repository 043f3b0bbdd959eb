import type { components } from '@/api';

/** One permission of the service, and what it allows. */
export type Permission = components['schemas']['Permission'];

/** All there is, and what comes later. */
export const everything = '*';

export const resourceOf = (grant: string): string => grant.split(':')[0] ?? '';

/** All of a resource, and what comes later. */
export const allOf = (resource: string): string => `${resource}:*`;

/** The grant among these that gives another one along with more; undefined where none does. */
export function widerThan(grants: readonly string[], grant: string): string | undefined {
  return [everything, allOf(resourceOf(grant))].find((wider) => wider !== grant && grants.includes(wider));
}

/** Whether grants allow another one: by name, as `resource:*`, or as `*`. */
export const covers = (grants: readonly string[], grant: string): boolean => grants.includes(grant) || widerThan(grants, grant) !== undefined;

/** The first of the wanted grants that is not allowed by what somebody has; nobody can give it. */
export const lackedOf = (has: readonly string[], wanted: readonly string[]): string | undefined => wanted.find((grant) => !covers(has, grant));

/** Grants without those that a wider one among them gives along. */
export const widestOf = (grants: readonly string[]): string[] => grants.filter((grant) => widerThan(grants, grant) === undefined);

export interface Group<P = Permission> {
  resource: string;
  permissions: P[];
}

/** Permissions by resource, in order. */
export function groupsOf<P extends Pick<Permission, 'name'>>(permissions: readonly P[]): Group<P>[] {
  const groups = new Map<string, P[]>();
  for (const permission of permissions) {
    const resource = resourceOf(permission.name);
    groups.set(resource, [...(groups.get(resource) ?? []), permission]);
  }
  return [...groups].map(([resource, members]) => ({ resource, permissions: members }));
}

/** Grants that a role has and that the service does not know any more. */
export function strangersAmong(grants: readonly string[], catalogue: readonly Permission[]): string[] {
  const resources = new Set(catalogue.map(({ name }) => resourceOf(name)));
  const names = new Set(catalogue.map(({ name }) => name));
  return grants.filter((grant) => grant !== everything && !names.has(grant) && !(grant === allOf(resourceOf(grant)) && resources.has(resourceOf(grant))));
}
