import type { components } from '@/api';
import type { Config } from './queries';

type Owner = components['schemas']['ConfigOwner'];

/** The owner of a member of a config, if it is a program; undefined for none, and for a user, who excludes no other user. */
export function programOf({ owner }: Pick<Config, 'owner'>, member: string): Owner | undefined {
  const found = owner[(member === 'valueType' ? 'value' : member) as keyof typeof owner];
  return found?.manager.startsWith('user:') === true ? undefined : found;
}

/** The programs that own one of the members, each once. */
export function programsOf(config: Pick<Config, 'owner'>, members: readonly string[]): string[] {
  return [...new Set(members.flatMap((member) => programOf(config, member)?.manager ?? []))];
}
