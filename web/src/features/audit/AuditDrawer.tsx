import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '@/api';
import { useConfigLabels } from '@/features/configs/useConfigWords';
import { contentsOf } from '@/features/contents';
import { actionsIn } from '@/features/deleted/kinds';
import { isTextOf, useFormat, useText } from '@/i18n';
import { encode, exact, type Json } from '@/merge';
import { Banner, CopyText, CustomerLink, Difference, Facts, Money, Person, RecordLink, SideDrawer, useActorName, When } from '@/ui';
import { unescaped } from '@/ui/RecordLink';
import { changesIn, detailOf, type Detail } from './change';
import { ConfigChange } from './ConfigChange';
import styles from './AuditDrawer.module.css';
import { auditMessages } from './messages';
import type { AuditEntry } from './queries';
import { useActionText } from './useActionText';

interface Props {
  /** Undefined if the entry is not on the open page of the list. */
  entry: AuditEntry | undefined;
  onClose: () => void;
}

/** The details of an audit entry: the difference, overwritten values, and the request. */
export function AuditDrawer({ entry, onClose }: Props) {
  const t = useText(auditMessages);
  return (
    <SideDrawer onClose={onClose} size="lg" title={t('one')}>
      {entry === undefined ? <Banner tone="info" title={t('elsewhere')} /> : <About key={entry.id} entry={entry} />}
    </SideDrawer>
  );
}

function About({ entry }: { entry: AuditEntry }) {
  const t = useText(auditMessages);
  const { dateTime, zone } = useFormat();
  const nameOf = useActorName();
  const { whole } = useActionText();
  const contents = contentsOf(entry.action);
  const labels = contents.useLabels();
  const detail = detailOf(entry);
  const changes = changesIn(detail, contents);
  const { action, actor, actorKind, token, onBehalfOf, resource, createdTime, note } = entry;
  const who = (
    <>
      {typeof actor.id === 'string' ? <CustomerLink userId={actor.id} /> : <Person person={actor} withAvatar />}
      <Text size="sm" c="dimmed">
        {token === null ? t(actorKind) : t('byToken', { id: String(token.id), creator: nameOf(token.createdBy) })}
      </Text>
    </>
  );
  const when = (
    <>
      {dateTime(createdTime)} <Text span c="dimmed" size="sm">{`${zone} · `}</Text>
      <Text span c="dimmed" size="sm">
        <When time={createdTime} />
      </Text>
    </>
  );
  return (
    <Stack gap="lg">
      <Facts
        layout="list"
        facts={[
          [t('who'), who],
          [t('action'), <span key="action">{`${whole(action)} · ${action}`}</span>],
          [t('resource'), <RecordLink key="resource" path={resource} />],
          [t('when'), when],
          onBehalfOf !== null && [t('onBehalfOf'), <CustomerLink key="for" userId={onBehalfOf} />],
          note !== '' && [t('note'), <q key="note">{note}</q>],
        ]}
      />
      {detail.destroyed !== undefined && <Destroyed entry={entry} detail={detail} />}
      {changes.length > 0 && (
        <Part title={t('changes')}>
          <Difference changes={changes} labels={labels} max={100} />
        </Part>
      )}
      {resource.startsWith('configs/') && detail.versions !== undefined && (
        <Part title={t('changes')}>
          <ConfigChange configKey={unescaped(resource.slice('configs/'.length))} versions={detail.versions} at={createdTime} />
        </Part>
      )}
      {detail.rest.length > 0 && (
        <Part title={t('details')}>
          <Facts layout="list" facts={detail.rest.map(([name, value]) => [labelOf(name, t), <Member key={name} name={name} value={value} />])} />
        </Part>
      )}
      <Request entry={entry} />
      <details className={styles.raw}>
        <summary>{t('raw')}</summary>
        <pre tabIndex={0}>{encode(exact(entry.detail), 2)}</pre>
      </details>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} fz={15} mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** The values of other users that the change overwrote, with a link to restore them. */
function Destroyed({ entry: { resource }, detail: { destroyed = {}, versions } }: { entry: AuditEntry; detail: Detail }) {
  const t = useText(auditMessages);
  const labels = useConfigLabels();
  const key = unescaped(resource.replace(/^configs\//, ''));
  return (
    <Banner tone="warn" title={t('destroyed')}>
      <ul className={styles.destroyed}>
        {Object.entries(destroyed).map(([name, value]) => (
          <li key={name}>
            {labels.field(`/${name}`)} <del>{labels.show(value ?? undefined, `/${name}`)}</del>
          </li>
        ))}
      </ul>
      {versions !== undefined && (
        <>
          <div>{t('getBack', { version: String(versions.from) })}</div>
          <Link to="/configs/$key" params={{ key }} search={{ tab: 'history', from: versions.from }}>
            {t('toHistory')}
          </Link>
        </>
      )}
    </Banner>
  );
}

/** The request, its idempotency key, and links to related pages. */
function Request({ entry }: { entry: AuditEntry }) {
  const t = useText(auditMessages);
  const seesKeys = useMay()('idempotency-keys:read');
  const nameOf = useActorName();
  const { requestId, idempotencyKey, unitId, actor, resource } = entry;
  const [deleted] = actionsIn(entry, 'delete');
  const key = (
    <>
      <CopyText text={idempotencyKey} label={t('key')} />
      {seesKeys && (
        <div>
          <Link to="/idempotency-keys" search={{ key: idempotencyKey }}>
            {t('toKey')}
          </Link>
        </div>
      )}
    </>
  );
  return (
    <Part title={t('origin')}>
      <Facts
        layout="list"
        facts={[
          [t('request'), requestId === '' ? t('ofItself') : <CopyText key="request" text={requestId} label={t('request')} />],
          [t('key'), idempotencyKey === '' ? t('noKey') : key],
          [t('unit'), <CopyText key="unit" text={unitId} label={t('unit')} />],
        ]}
      />
      <nav className={styles.more} aria-label={t('more')}>
        {deleted !== undefined && (
          <Link to="/deleted" search={{ resource, open: `${entry.id}.${deleted.path}` }}>
            {t('toDeleted')}
          </Link>
        )}
        <Link to="/audit-log" search={{ resource }}>
          {t('moreOfResource')}
        </Link>
        <Link to="/audit-log" search={{ actor: String(actor.id) }}>
          {t('moreOfActor', { who: nameOf(actor) })}
        </Link>
      </nav>
    </Part>
  );
}

function labelOf(name: string, t: ReturnType<typeof useText<(typeof auditMessages)['en']>>): string {
  const key = `member_${name}` as const;
  return isTextOf(auditMessages, key) ? t(key) : name;
}

const amounts = new Set(['amount', 'balance', 'discount']);

/** One member of an entry's detail. */
function Member({ name, value }: { name: string; value: Json }) {
  if (amounts.has(name) && typeof value === 'number') return <Money minor={value} />;
  if (Array.isArray(value) && value.some((one) => typeof one === 'object')) {
    return (
      <ul className={styles.members}>
        {value.map((one, i) => (
          <li key={i} className="mono">
            {encode(one)}
          </li>
        ))}
      </ul>
    );
  }
  return <span className="mono">{typeof value === 'string' ? value : encode(value)}</span>;
}
