import { Paper, Title } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { RecordLink } from '@/ui';
import { Empty } from '@/ui/table';
import { ofLock } from './belongs';
import { systemMessages } from './messages';
import type { HeldLock } from './queries';
import styles from './System.module.css';

/** Every lock that has an owner, with the owner and the number of waiters. */
export function LockTable({ locks }: { locks: readonly HeldLock[] }) {
  const t = useText(systemMessages);
  const { number, duration } = useFormat();
  return (
    <Paper component="section" p="lg" aria-labelledby="locks">
      <Title order={2} id="locks" mb="xs">
        {t('locks')}
      </Title>
      {locks.length === 0 ? (
        <Empty title={t('noLocks')} hint={t('noLocksHint')} />
      ) : (
        <div className={styles.scroll} tabIndex={0} role="group" aria-labelledby="locks">
          <table className={styles.table} aria-labelledby="locks">
            <thead>
              <tr>
                <th scope="col">{t('key')}</th>
                <th scope="col">{t('for')}</th>
                <th scope="col">{t('owner')}</th>
                <th scope="col" data-align="end">
                  {t('held')}
                </th>
                <th scope="col" data-align="end">
                  {t('waiters')}
                </th>
              </tr>
            </thead>
            <tbody>
              {locks.map(({ key, owner, heldSeconds, waiters }) => {
                const path = ofLock(key);
                return (
                  <tr key={key}>
                    <td className="mono">{key}</td>
                    <td>{path !== undefined && <RecordLink path={path} />}</td>
                    <td className="mono">{owner === '' ? t('unknownHolder') : owner}</td>
                    <td data-align="end">{duration(heldSeconds * 1000)}</td>
                    <td data-align="end">{number(waiters)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Paper>
  );
}
