import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isProblem, useMay, useUser } from '@/api';
import { contentsOf } from '@/features/contents';
import { deletable } from '@/features/resources';
import { useFormat, useLocalText, useText } from '@/i18n';
import { Banner, Facts, OutcomeNotice, Person, ProblemBanner, RecordLink, SideDrawer, useKeyedMutation, useNow, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { editMessages } from '@/ui/edit/messages';
import type { Deed } from './kinds';
import { deletedMessages } from './messages';
import { rowId, findCurrent, type Again } from './queries';
import { deletedContent, recreate, type Content } from './restore';

interface Props {
  /** Undefined if the entry is not on the open page of the list. */
  deed: Deed | undefined;
  onClose: () => void;
}

/** The details of a deleted record: its author, its content, a record that exists again, and the restore button. */
export function DeletedDrawer({ deed, onClose }: Props) {
  const t = useText(deletedMessages);
  return (
    <SideDrawer onClose={onClose} size="lg" title={t('one')}>
      {deed === undefined ? <Banner tone="info" title={t('elsewhere')} /> : <About key={rowId(deed)} deed={deed} />}
    </SideDrawer>
  );
}

function About({ deed }: { deed: Deed }) {
  const t = useText(deletedMessages);
  const ui = useText(uiMessages);
  const text = useLocalText();
  const { dateTime, zone } = useFormat();
  const { entry, kind, name } = deed;
  const content = useQuery(deletedContent(deed));
  const there = useQuery(findCurrent(deed));
  const error = content.error ?? there.error;
  const withheld = (entry.detail as { withheld?: string } | null)?.withheld;
  return (
    <Stack gap="lg">
      <Facts
        layout="list"
        facts={[
          [t('kind'), text(deletable[kind].label)],
          [
            t('name'),
            <span key="name" className="mono">
              {name}
            </span>,
          ],
          [t('deletedBy'), <Person key="who" person={entry.actor} withAvatar />],
          [t('when'), `${dateTime(entry.createdTime)} ${zone}`],
          entry.note !== '' && [t('note'), <q key="note">{entry.note}</q>],
        ]}
      />
      {error !== null && (
        <ProblemBanner
          error={error}
          retry={() => {
            void content.refetch();
            void there.refetch();
          }}
        />
      )}
      {error === null && (content.data === undefined || there.data === undefined) && <Loader role="img" aria-label={ui('loading')} />}
      {withheld !== undefined ? (
        <Banner tone="info" title={t('withheld', { permission: withheld })} />
      ) : (
        content.data === null && <Banner tone="warn" title={t('lost')} />
      )}
      {content.data !== undefined && content.data !== null && <Shown deed={deed} content={content.data} />}
      {content.data !== undefined && there.data !== undefined && (
        <Way
          deed={deed}
          content={content.data}
          there={there.data}
          look={async () => {
            const { data } = await there.refetch({ throwOnError: true });
            return data ?? null;
          }}
        />
      )}
      <Link to="/audit-log" search={{ resource: entry.resource, open: entry.id }}>
        {t('inLog')}
      </Link>
    </Stack>
  );
}

function Shown({ deed: { entry }, content: { shown } }: { deed: Deed; content: Content }) {
  const t = useText(deletedMessages);
  const { useLabels, read } = contentsOf(entry.action);
  const labels = useLabels();
  return (
    <section>
      <Text component="h3" fz={15} fw={600} mb="xs">
        {t('content')}
      </Text>
      <Facts
        layout="list"
        facts={Object.entries(read?.(shown) ?? shown).map(([member, value]) => [
          labels.field(`/${member}`),
          <code key={member}>{value === null ? '—' : labels.show(value, `/${member}`)}</code>,
        ])}
      />
    </section>
  );
}

interface WayProps {
  deed: Deed;
  content: Content | null;
  there: Again | null;
  /** Checks again for a new record, immediately before the write. */
  look: () => Promise<Again | null>;
}

/** The restore button, or the reason why the record cannot be restored. */
function Way({ deed, content, there, look }: WayProps) {
  const t = useText(deletedMessages);
  const edit = useText(editMessages);
  const toasts = useToasts();
  const may = useMay();
  const { name, write } = deletable[deed.kind];
  const isUnique = name !== 'free';
  const restoring = useKeyedMutation<Content, string>({
    scope: `deleted/${rowId(deed)}`,
    title: `${t('restoreNow')} · ${deed.name}`,
    topics: [deed.kind, 'overview', ...(deed.kind === 'menus' ? ['navigation'] : [])],
    send: (typed, key) => recreate(deed, typed, key),
    onDone: () => toasts.done(t('done', { name: deed.name })),
    // Another user has created the record first. Show that record.
    onRejected: (error) => void (isProblem(error, 'already_exists') && look()),
  });
  const { outcome, error, run, retry: again } = restoring;
  const isUnknown = outcome === 'unknown';
  const isTaken = isProblem(error, 'already_exists');
  // Shows concurrent changes before anything is written.
  const restore = async (whatever: boolean) => {
    if (content !== null && (whatever || (await look()) === null)) run(content);
  };
  if (!may(write)) return <Banner tone="info" title={t('mayNot', { permission: write })} />;
  const blocked = content === null || content.lacks !== undefined;
  return (
    <>
      <OutcomeNotice write={restoring} />
      {outcome === 'rejected' && !isTaken && <ProblemBanner error={error} />}
      {(there !== null || isTaken) && <CurrentRecord deed={deed} there={there} />}
      {content?.lacks !== undefined && <Banner tone="info" title={t(content.lacks)} />}
      {!isUnique && there === null && !blocked && <Text c="dimmed">{t('ownNumber')}</Text>}
      {(there === null || !isUnique) && (
        <Group>
          <Button
            variant={there === null ? 'filled' : 'default'}
            disabled={blocked && !isUnknown}
            loading={outcome === 'sending'}
            onClick={() => (isUnknown ? again() : void restore(there !== null).catch(toasts.failed))}
          >
            {isUnknown ? edit('retryRequest') : t(there === null ? 'restoreNow' : 'restoreAnyway')}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Shows the record that now exists under the same name, and its author. */
function CurrentRecord({ deed: { name, kind, path }, there }: { deed: Deed; there: Again | null }) {
  const t = useText(deletedMessages);
  const { relative } = useFormat();
  const now = useNow();
  const me = useUser().id;
  const entry = there?.made?.entry;
  const isUnique = deletable[kind].name !== 'free';
  const title =
    entry === undefined
      ? t('isAgain', { name })
      : t(isUnique ? 'isAgainBy' : 'sameName', { who: entry.actor.id === me ? t('you') : entry.actor.name, name, when: relative(entry.createdTime, now) });
  return (
    <Banner tone="info" title={title} action={<RecordLink path={there?.path ?? path}>{t('open')}</RecordLink>}>
      {entry?.actor.id === me ? undefined : t(isUnique ? 'isAgainHint' : 'sameNameHint')}
    </Banner>
  );
}
