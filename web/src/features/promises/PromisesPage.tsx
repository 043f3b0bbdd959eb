import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat, useText } from '@/i18n';
import { Banner, Icon, PageHeader, ProblemBanner, Section, useNow, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { download } from '@/ui/table';
import { promiseMessages } from './messages';
import { PromiseRow } from './PromiseRow';
import styles from './Promises.module.css';
import { byGuarantee, promises, signedPromises, allCheckedSince, type Promised, type Quota } from './queries';

/** The promises of the service about its data, with the state of each. */
export function PromisesPage() {
  const t = useText(promiseMessages);
  const ui = useText(uiMessages);
  const { data, error, refetch } = useQuery(promises());
  return (
    <>
      <PageHeader title={t('title')}>
        <Export />
      </PageHeader>
      <Stack gap="md">
        <Text c="dimmed">{t('lead')}</Text>
        {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {data !== undefined && <Verdict list={data.promises} />}
        {data?.quotas.map((quota) => quota.almostFull && <QuotaWarning key={quota.holders} quota={quota} />)}
        {data?.selfApproval === true && (
          <Banner tone="warn" title={t('selfApproval')}>
            {t('selfApprovalHint')}
          </Banner>
        )}
        {data !== undefined &&
          byGuarantee(data.promises).map(([guarantee, list]) => (
            <Section key={guarantee} title={t(guarantee)}>
              <ul className={styles.list}>
                {list.map((promised) => (
                  <PromiseRow key={promised.name} promised={promised} />
                ))}
              </ul>
            </Section>
          ))}
      </Stack>
    </>
  );
}

/** Warns before keyed writes are rejected. */
export function QuotaWarning({ quota }: { quota: Quota }) {
  const t = useText(promiseMessages);
  const { number } = useFormat();
  return (
    <Banner tone="warn" title={t(`keys_${quota.holders}`, { keys: number(quota.keys), quota: number(quota.quota) })}>
      {t('keysHint')}
    </Banner>
  );
}

/** Downloads the displayed report, signed by the installation. */
function Export() {
  const t = useText(promiseMessages);
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      download('promises.json', JSON.stringify(await signedPromises(), undefined, 2), 'application/json');
    } catch (error) {
      toasts.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" leftSection={<Icon name="download" />} loading={busy} onClick={() => void run()}>
      {t('export')}
    </Button>
  );
}

/** A summary of all promises. */
export function Verdict({ list }: { list: readonly Promised[] }) {
  const t = useText(promiseMessages);
  const { relative } = useFormat();
  const now = useNow();
  const broken = list.filter(({ state }) => state === 'violated').length;
  const since = allCheckedSince(list);
  if (broken > 0)
    return (
      <Banner tone="bad" title={t('someViolated', { n: broken })}>
        {t('someViolatedHint')}
      </Banner>
    );
  if (since === undefined)
    return (
      <Banner tone="info" title={t('firstCheck')}>
        {t('firstCheckHint')}
      </Banner>
    );
  return (
    <Banner tone="ok" title={t('allSatisfied')}>
      {t('allCheckedSince', { when: relative(since, now) })}
    </Banner>
  );
}
