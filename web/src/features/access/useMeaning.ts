import { useLanguage } from '@/i18n';
import type { Permission } from './grants';
import { meanings } from './messages';

/** Returns the meaning of a permission in the current language; the service only writes English. */
export function useMeaning(): (permission: Permission) => string {
  const { language } = useLanguage();
  return ({ name, meaning }) => (language === 'en' ? meaning : (meanings[name] ?? meaning));
}
