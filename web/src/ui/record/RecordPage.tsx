import { Loader, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { use, useEffect, type ReactNode } from 'react';
import { isProblem, useOwner } from '@/api';
import { recents } from '@/browser/recents';
import { useText } from '@/i18n';
import { Subject } from '../acts/ActButton';
import { editMessages } from '../edit/messages';
import { usePresence, type Present } from '../edit/usePresence';
import { EtagVersion } from '../EtagVersion';
import { Banner } from '../feedback/Banner';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { uiMessages } from '../messages';
import { StoredDraft } from './StoredDraft';
import { PageHeader } from './PageHeader';
import { useOpenPage } from '../shell/pages';
import { useWindowTitle } from '../title';
import { People } from './People';
import { RecordTools } from './tools';

interface Props<R, F> {
  query: Pick<UseQueryResult<R>, 'data' | 'error' | 'refetch'>;
  /** The title while the record loads, and the window title. */
  name: string;
  title?: (record: R) => ReactNode;
  /** Displays the title in monospace, for keys and order numbers. */
  mono?: boolean;
  /** The list that the record belongs to; undefined for a record that is the only one of its kind. */
  parent?: { to: string; label: string };
  /** The path of the record for presence; undefined for records without presence. */
  resource?: string;
  /** The field with the focus in this tab, and the labels of the fields. */
  field?: string | undefined;
  fieldLabel?: (field: string) => string | undefined;
  chips?: (record: R) => ReactNode;
  /** The actions for the record, while it exists. */
  actions?: (record: R) => ReactNode;
  /** Replaces the default message if the record does not exist. */
  missing?: ReactNode;
  /** Rendered with the stored draft if the record was deleted before it was opened again. */
  renderDraft?: (form: F, forget: () => void) => ReactNode;
  children: (record: R, state: { isDeleted: boolean; present: readonly Present[] }) => ReactNode;
}

/**
 * The page of one record: loading, missing and failed states, other users, status and actions; the
 * children are its sections. Changes of other users appear automatically. A record that is deleted
 * while it is open stays on the screen, so that no input is lost.
 */
export function RecordPage<R extends { version?: number; etag?: string | null }, F = unknown>(props: Props<R, F>) {
  const { query, name, parent, resource } = props;
  const { data: record, error, refetch } = query;
  const t = useText(editMessages);
  const ui = useText(uiMessages);
  const isDeleted = isProblem(error, 'not_found');
  const list = parent?.label;
  const Tools = use(RecordTools);
  const exists = record !== undefined && !isDeleted;
  useWindowTitle([name, list]);
  useVisit(exists && parent !== undefined ? name : undefined);
  const header = (present: readonly Present[]) => (
    <PageHeader
      title={record === undefined ? name : (props.title?.(record) ?? name)}
      mono={props.mono}
      parent={parent}
      chips={
        exists && (
          <>
            {props.chips?.(record)}
            {record.version !== undefined && record.version > 0 && <EtagVersion version={record.version} etag={record.etag ?? undefined} tone="neutral" />}
          </>
        )
      }
    >
      <People present={present} fieldLabel={(field) => props.fieldLabel?.(field)} />
      {exists && props.actions?.(record)}
      {/* The tools are omitted for records that are the only one of their kind, such as the account. */}
      {exists && Tools !== undefined && resource !== undefined && parent !== undefined && <Tools resource={resource} />}
    </PageHeader>
  );
  if (record === undefined) {
    const missing = props.missing ?? (
      <Banner tone="info" title={t('missing', { name })} action={parent && <Link to={parent.to}>{t('toList')}</Link>}>
        {t('missingHint')}
      </Banner>
    );
    return (
      <>
        {header([])}
        {error === null && <Loader role="img" aria-label={ui('loading')} />}
        {isDeleted &&
          (resource === undefined || props.renderDraft === undefined ? (
            missing
          ) : (
            <StoredDraft resource={resource} name={name} otherwise={missing} onDiscard={() => void refetch()}>
              {props.renderDraft}
            </StoredDraft>
          ))}
        {error !== null && !isDeleted && <ProblemBanner error={error} retry={() => void refetch()} />}
      </>
    );
  }
  const parts = (present: readonly Present[]) => (
    <Subject value={name}>
      {header(present)}
      <Stack gap="md">
        {error !== null && !isDeleted && <ProblemBanner error={error} retry={() => void refetch()} />}
        {props.children(record, { isDeleted, present })}
      </Stack>
    </Subject>
  );
  return resource === undefined ? parts([]) : <WithPresence resource={resource} field={props.field} parts={parts} />;
}

/** Adds the open page to the recent records under the name of its record. */
function useVisit(name: string | undefined): void {
  const owner = useOwner();
  const kind = useOpenPage()?.title;
  const to = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    if (name !== undefined && kind !== undefined) recents.add(owner, { to, name, kind });
  }, [owner, to, name, kind]);
}

function WithPresence({ resource, field, parts }: { resource: string; field: string | undefined; parts: (present: readonly Present[]) => ReactNode }) {
  return parts(usePresence(resource, field));
}
