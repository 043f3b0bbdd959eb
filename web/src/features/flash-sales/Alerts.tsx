import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import { Banner } from '@/ui';
import { alertsOf } from './alerts';
import { saleMessages } from './messages';
import type { Sale, SaleStats } from './queries';

/** The warnings about a sale, with the possible actions. */
export function Alerts({ sale, stats }: { sale: Sale; stats: SaleStats }) {
  const t = useText(saleMessages);
  const { duration } = useFormat();
  return alertsOf(sale, stats).map((alert) => {
    switch (alert) {
      case 'lost':
        return (
          <Banner key={alert} tone="bad" title={t('lostTitle', { n: stats.lost })}>
            {t('lostHint')}
          </Banner>
        );
      case 'stuck':
        return (
          <Banner
            key={alert}
            tone="warn"
            title={t('stuckTitle', { age: duration(Math.floor(stats.oldestQueuedSeconds) * 1000) })}
            action={
              <Button component={Link} to="/system">
                {t('openSystem')}
              </Button>
            }
          >
            {t('stuckHint')}
          </Banner>
        );
      case 'full':
        return (
          <Banner key={alert} tone="warn" title={t('fullTitle')}>
            {t('fullHint')}
          </Banner>
        );
    }
  });
}
