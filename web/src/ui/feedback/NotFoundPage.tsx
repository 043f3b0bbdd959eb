import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { FullPage } from './FullPage';

export function NotFoundPage() {
  const t = useText(uiMessages);
  return (
    <FullPage title={t('notFoundTitle')} hint={t('notFoundHint')}>
      <Anchor component={Link} to="/">
        {t('toDashboard')}
      </Anchor>
    </FullPage>
  );
}
