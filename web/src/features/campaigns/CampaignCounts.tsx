import { Anchor, Group, Paper, Progress, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

/** How many coupons of a campaign were issued and are left, and the way to them. */
export function CampaignCounts({ campaign: { id, issued, total } }: { campaign: Campaign }) {
  const t = useText(campaignMessages);
  const words = t('progress', { issued, total });
  return (
    <Paper component="section" p="lg" aria-labelledby="counts">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="counts">
          {t('counts')}
        </Title>
        <Anchor renderRoot={(props) => <Link {...props} to="/coupons" search={{ campaignId: id }} />}>{t('seeCoupons')}</Anchor>
      </Group>
      <Progress value={(100 * issued) / total} aria-label={words} />
      <Group justify="space-between" mt="xs" className="tabular">
        <Text>{words}</Text>
        <Text fw={600}>{t('left', { n: total - issued })}</Text>
      </Group>
    </Paper>
  );
}
