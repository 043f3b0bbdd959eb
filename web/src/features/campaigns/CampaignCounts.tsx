import { Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { Section } from '@/ui';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

/** The numbers of issued and remaining coupons, with a link to the coupons. */
export function CampaignCounts({ campaign: { id, issued, total } }: { campaign: Campaign }) {
  const t = useText(campaignMessages);
  const labels = t('progress', { issued, total });
  return (
    <Section
      title={t('counts')}
      action={
        <Link to="/coupons" search={{ campaignId: id }}>
          {t('seeCoupons')}
        </Link>
      }
    >
      <Progress value={(100 * issued) / total} aria-label={labels} />
      <Group justify="space-between" mt="xs" className="tabular">
        <Text>{labels}</Text>
        <Text fw={600}>{t('left', { n: total - issued })}</Text>
      </Group>
    </Section>
  );
}
