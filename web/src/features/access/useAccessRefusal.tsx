import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useLanguage, useText } from '@/i18n';
import { Banner } from '@/ui';
import { accessMessages } from './messages';

/**
 * Why an edit of who may do what was refused, in words: the last access:*, and what one
 * does not have oneself. Undefined leaves it to the general words. A name that is taken is
 * told at its input, so that nothing is left to say.
 */
export function useAccessRefusal(): (error: Error) => ReactNode {
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
    // The service says which permission it is, and speaks English.
    if (isProblem(error, 'forbidden')) return <Banner tone="bad" title={language === 'en' ? error.message : t('cannotGive')} />;
    if (isProblem(error, 'already_exists')) return <></>;
    return undefined;
  };
}
