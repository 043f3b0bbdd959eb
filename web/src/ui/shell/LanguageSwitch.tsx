import { ActionIcon } from '@mantine/core';
import { useLanguage, useText } from '@/i18n';
import { useAct } from '../acts/acts';
import { shellMessages } from './messages';

const names = { en: 'EN', zh: '中' } as const;

/** Switches the language. The button shows the other language. */
export function LanguageSwitch() {
  const { language, choose } = useLanguage();
  const t = useText(shellMessages);
  const other = language === 'en' ? 'zh' : 'en';
  useAct({ label: t('otherLanguage'), isGeneral: true, run: () => choose(other) });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      c="dimmed"
      fz={13}
      fw={600}
      onClick={() => choose(other)}
      aria-label={`${names[other]} – ${t('otherLanguage')}`}
      title={t('otherLanguage')}
      lang={other === 'zh' ? 'zh-CN' : 'en'}
    >
      {names[other]}
    </ActionIcon>
  );
}
