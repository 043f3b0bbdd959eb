import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { CopyText, Section } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The first steps in a new installation. */
export function FirstSteps() {
  const t = useText(dashboardMessages);
  const may = useMay();
  return (
    <Section title={t('first')} hint={t('firstHint')}>
      <ol className={styles.steps}>
        {may('configs:write') && (
          <Step title={t('firstConfig')} hint={t('firstConfigHint')}>
            <Link to="/configs" search={{ create: true }}>
              {t('firstConfigDo')}
            </Link>
          </Step>
        )}
        <Step title={t('firstDemo')} hint={t('firstDemoHint')}>
          <CopyText text="bin/admin demo" label={t('firstDemo')} />
        </Step>
        <Step title={t('firstToken')} hint={t('firstTokenHint')}>
          <CopyText text="bin/admin token create --user admin --name first" label={t('firstToken')} />
        </Step>
        <Step title={t('firstApi')} hint={t('firstApiHint')}>
          <a href="/docs" target="_blank" rel="noreferrer">
            {t('firstApiDo')}
          </a>
        </Step>
      </ol>
    </Section>
  );
}

function Step({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <span className={styles.label}>{title}</span>
      <span className={styles.hint}>{hint}</span>
      <span>{children}</span>
    </li>
  );
}
