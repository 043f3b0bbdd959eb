import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useText } from '@/i18n';
import { Icon, type IconName } from '../Icon';
import { shellMessages } from './messages';

const choices = [
  { scheme: 'light', icon: 'sun', text: 'coloursLight' },
  { scheme: 'dark', icon: 'moon', text: 'coloursDark' },
  { scheme: 'auto', icon: 'screen', text: 'coloursSystem' },
] as const satisfies { scheme: MantineColorScheme; icon: IconName; text: string }[];

/** Selects the light, dark or system colour scheme. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const t = useText(shellMessages);
  const current = choices.find(({ scheme }) => scheme === colorScheme) ?? choices[2];
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="dimmed" size="lg" aria-label={`${t('colours')}: ${t(current.text)}`} title={t('colours')}>
          <Icon name={current.icon} size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ scheme, icon, text }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={icon} />}
            rightSection={scheme === colorScheme ? <Icon name="check" /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {t(text)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
