import type { AuditEntry } from '@/features/audit/queries';
import { deletable, type DeletableKind } from '@/features/resources';
import { exact, isObject, type Json, type JsonObject } from '@/merge';
import { pathOf, unescaped } from '@/ui/RecordLink';

export type Kind = DeletableKind;
export const kinds = Object.keys(deletable) as Kind[];

const batch = 'config.batch';

/** The actions that delete or create records of these kinds, including the batch for configs. */
export function actionsOf(asked: readonly Kind[], verb: 'delete' | 'create'): string {
  const all = asked.map((kind) => `${deletable[kind].noun}.${verb}`);
  return [...all, ...(asked.includes('configs') ? [batch] : [])].join(',');
}

/** The deletion or creation of one record, read from an entry of the audit log. The entry of a batch contains several. */
export interface Deed {
  kind: Kind;
  /** The key, code or number of the record. */
  record: string;
  path: string;
  /** The display name; the number if the user may not read the name. */
  name: string;
  /** The version after the action. */
  version: number | undefined;
  /** The complete content, if the log contains it. The content of a config is in its history instead. */
  content: JsonObject | undefined;
  entry: AuditEntry;
}

/** The records that an entry deleted or created. */
export function actionsIn(entry: AuditEntry, verb: 'delete' | 'create'): Deed[] {
  const all = exact(entry.detail);
  const detail = isObject(all) ? all : {};
  if (entry.action === batch) {
    const changes = Array.isArray(detail.changes) ? detail.changes : [];
    return changes.flatMap((change): Deed[] => {
      if (!isObject(change) || change.op !== verb || typeof change.key !== 'string') return [];
      return [
        {
          kind: 'configs',
          record: change.key,
          path: pathOf('configs', change.key),
          name: change.key,
          version: wholeOf(change.version),
          content: undefined,
          entry,
        },
      ];
    });
  }
  const kind = kinds.find((one) => entry.action === `${deletable[one].noun}.${verb}`);
  if (kind === undefined) return [];
  const record = unescaped(entry.resource.slice(kind.length + 1));
  const content = [detail.content, detail.terms, detail].filter(isObject)[0];
  const isKnown = content !== undefined && !('withheld' in detail) && kind !== 'configs';
  return [
    {
      kind,
      record,
      path: entry.resource,
      name: nameOf(kind, record, isKnown ? content : undefined),
      version: wholeOf(detail.toVersion),
      content: isKnown ? content : undefined,
      entry,
    },
  ];
}

const wholeOf = (value: Json | undefined) => (typeof value === 'number' ? value : undefined);

function nameOf(kind: Kind, record: string, content: JsonObject | undefined): string {
  if (deletable[kind].name === 'key') return record;
  const name = [content?.name, content?.title, content?.path].find((text) => typeof text === 'string' && text !== '');
  return typeof name === 'string' ? name : `#${record}`;
}

/** Whether a created record replaces a deleted one: it has the same id or the same name. */
export const isAgain = (deleted: Deed, made: Deed): boolean => made.kind === deleted.kind && made.entry.id > deleted.entry.id && made.name === deleted.name;
