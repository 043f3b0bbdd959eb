import type { components } from '@/api';

/** A permission of the service and its meaning. */
export type Permission = components['schemas']['Permission'];

/** All permissions, including future ones. */
export const everything = '*';

export const resourceOf = (grant: string): string => grant.split(':')[0] ?? '';

/** All permissions of a resource, including future ones. */
export const allOf = (resource: string): string => `${resource}:*`;

/** Returns the wider grant that covers a grant; undefined if there is none. Each grant for a resource also covers reading it. */
export function widerThan(grants: readonly string[], grant: string): string | undefined {
  const resource = resourceOf(grant);
  const wider = [everything, allOf(resource)].find((one) => one !== grant && grants.includes(one));
  if (wider !== undefined || grant !== `${resource}:read`) return wider;
  return grants.find((one) => one !== grant && one !== 'customers:impersonate' && resourceOf(one) === resource);
}

/** Whether grants cover another grant: by name, by `resource:*`, or by `*`. */
export const covers = (grants: readonly string[], grant: string): boolean => grants.includes(grant) || widerThan(grants, grant) !== undefined;

/** Returns the first requested grant that the user does not have and therefore cannot assign; undefined if there is none. */
export const lackedOf = (has: readonly string[], wanted: readonly string[]): string | undefined => wanted.find((grant) => !covers(has, grant));

/** Grants without those that a wider grant in the list covers. */
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

/** Returns the grants for permissions that no longer exist. */
export function unknownGrants(grants: readonly string[], catalogue: readonly Permission[]): string[] {
  const resources = new Set(catalogue.map(({ name }) => resourceOf(name)));
  const names = new Set(catalogue.map(({ name }) => name));
  return grants.filter((grant) => grant !== everything && !names.has(grant) && !(grant === allOf(resourceOf(grant)) && resources.has(resourceOf(grant))));
}
