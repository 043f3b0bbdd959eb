import { Group } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { Avatar, type Present } from '@/ui';
import { useCampaignTexts, type CampaignField } from './fields';
import { campaignMessages } from './messages';

/** Who else is on the campaign, and on which field. */
export function WhoElse({ others }: { others: readonly Present[] }) {
  const t = useText(campaignMessages);
  const { list } = useFormat();
  const texts = useCampaignTexts();
  if (others.length === 0) return null;
  const labels: Readonly<Partial<Record<string, { label: string }>>> = texts;
  const said = others.map(({ person, field }) => {
    const label = field === undefined ? undefined : labels[field.slice(1) as CampaignField]?.label;
    return label === undefined ? person.name : t('hereOn', { name: person.name, field: label });
  });
  const words = t('here', { names: list(said) });
  return (
    <Group gap={4} role="img" aria-label={words} title={words}>
      {others.map(({ person }) => (
        <Avatar key={person.id} person={person} />
      ))}
    </Group>
  );
}
