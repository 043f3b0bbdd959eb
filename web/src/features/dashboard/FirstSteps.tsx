import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useMay, type Overview } from '@/api';
import { TestPurchase } from '@/features/flash-sales/TestPurchase';
import { useText } from '@/i18n';
import { CopyText, Icon, Section } from '@/ui';
import styles from './Dashboard.module.css';
import { hasConflict, useFirstUse, useMarks } from './firstUse';
import { dashboardMessages } from './messages';

interface Step {
  id: 'config' | 'conflict' | 'stock' | 'sale' | 'purchase' | 'cockpit';
  isDone: boolean;
  /** The link or button of the step; undefined while an earlier step is needed. */
  act: ReactNode;
}

/** The checklist of the first use, until every step is done or the user hides it. `isNew` also shows the start for programs. */
export function FirstSteps({ data, isNew }: { data: Overview; isNew: boolean }) {
  const t = useText(dashboardMessages);
  const may = useMay();
  const marks = useMarks();
  const mayWrite = ['configs:write', 'items:write', 'inventory:adjust', 'flash-sales:write'].every((permission) => may(permission));
  const isEnabled = mayWrite && !marks.has('hidden');
  const { config, hasStock, sale, hasSold } = useFirstUse(isEnabled);
  const isLoaded = config !== undefined && hasStock !== undefined && sale !== undefined && hasSold !== undefined;
  const steps = isLoaded ? stepsOf() : [];
  const left = steps.filter(({ isDone }) => !isDone);
  // An installation in use has none of these steps left, or it never started the list.
  const isOpen = isEnabled && isLoaded && left.length > 0 && (marks.has('started') || left.some(({ id }) => id !== 'conflict' && id !== 'cockpit'));
  const note = useEffectEvent(() => {
    if (isOpen) marks.add('started');
    if (isOpen && hasConflict(data)) marks.add('conflict');
  });
  useEffect(() => note(), [isOpen, data]);
  if (!isOpen) return null;

  function stepsOf(): Step[] {
    const saleId = String(sale?.id ?? '');
    const isOpened = sale !== null && sale !== undefined && sale.status !== 'draft';
    return [
      {
        id: 'config',
        isDone: config !== null,
        act: (
          <Link to="/configs" search={{ create: true }}>
            {t('firstConfigDo')}
          </Link>
        ),
      },
      {
        id: 'conflict',
        isDone: marks.has('conflict') || hasConflict(data),
        act: config !== null && config !== undefined && <TwoWindows name={config.key} />,
      },
      {
        id: 'stock',
        isDone: hasStock === true || isOpened,
        act: (
          <Link to="/items" search={{ create: true }}>
            {t('firstItemDo')}
          </Link>
        ),
      },
      {
        id: 'sale',
        isDone: isOpened,
        act:
          sale === null || sale === undefined ? (
            hasStock === true && (
              <Link to="/flash-sales" search={{ create: true }}>
                {t('firstSaleDo')}
              </Link>
            )
          ) : (
            <Link to="/flash-sales/$id" params={{ id: saleId }}>
              {t('firstSaleOpen')}
            </Link>
          ),
      },
      { id: 'purchase', isDone: hasSold === true, act: sale?.status === 'open' && <TestPurchase sale={sale} /> },
      {
        id: 'cockpit',
        isDone: marks.has('cockpit'),
        act: isOpened && (
          <Link to="/flash-sales/$id" params={{ id: saleId }} onClick={() => marks.add('cockpit')}>
            {t('firstCockpitDo')}
          </Link>
        ),
      },
    ];
  }

  return (
    <Section
      title={t('first')}
      hint={t('firstHint', { done: steps.length - left.length, n: steps.length })}
      action={
        <Button size="xs" variant="subtle" onClick={() => marks.add('hidden')}>
          {t('firstHide')}
        </Button>
      }
    >
      <ol className={styles.steps}>
        {steps.map(({ id, isDone, act }) => (
          <li key={id} className={styles.step} data-done={isDone || undefined}>
            <span className={styles.label}>
              {isDone && <Icon name="check" />} {t(`first_${id}`)}
              {isDone && <span className="unseen"> {t('firstDone')}</span>}
            </span>
            {!isDone && <span className={styles.hint}>{t(`first_${id}_hint`)}</span>}
            {!isDone && <span>{act}</span>}
          </li>
        ))}
      </ol>
      {isNew && <ForPrograms />}
    </Section>
  );
}

/** Opens the config here and in a second window, so that two saves of one value conflict. */
function TwoWindows({ name }: { name: string }) {
  const t = useText(dashboardMessages);
  return (
    <Link to="/configs/$key" params={{ key: name }} onClick={() => window.open(`/configs/${encodeURIComponent(name)}`, '_blank', 'popup,width=960,height=800')}>
      {t('firstConflictDo')}
    </Link>
  );
}

/** The start for programs and with demo data, on the host of the service. */
function ForPrograms() {
  const t = useText(dashboardMessages);
  return (
    <ul className={styles.more}>
      <li>
        {t('firstDemo')} <CopyText text="bin/admin demo" label={t('firstDemo')} />
      </li>
      <li>
        {t('firstToken')} <CopyText text="bin/admin token create --user admin --name first" label={t('firstToken')} />
      </li>
      <li>
        {t('firstApi')}{' '}
        <a href="/docs" target="_blank" rel="noreferrer">
          {t('firstApiDo')}
        </a>
      </li>
    </ul>
  );
}
