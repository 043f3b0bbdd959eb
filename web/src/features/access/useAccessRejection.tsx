import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useLanguage, useText } from '@/i18n';
import { Banner } from '@/ui';
import { accessMessages } from './messages';

/**
 * Returns the message for a rejected edit of permissions: the last access:* was removed, or the
 * user lacks a permission. Returns undefined for the default message, and an empty message for a
 * name that already exists, because the input displays that.
 */
export function useAccessRejection(): (error: Error) => ReactNode {
  const t = useText(accessMessages);
  const { language } = useLanguage();
  return (error) => {
    if (isProblem(error, 'in_use')) {
      return (
        <Banner tone="bad" title={t('lastManager')}>
          {t('lastManagerHint')}
        </Banner>
      );
    }
    // The service names the permission, in English.
    if (isProblem(error, 'forbidden')) return <Banner tone="bad" title={language === 'en' ? error.message : t('cannotGrant')} />;
    if (isProblem(error, 'already_exists')) return <></>;
    return undefined;
  };
}
