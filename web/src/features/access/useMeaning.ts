import { useLanguage } from '@/i18n';
import type { Permission } from './grants';
import { meanings } from './messages';

/** Gives what a permission allows in the language in force; the service itself speaks English. */
export function useMeaning(): (permission: Permission) => string {
  const { language } = useLanguage();
  return ({ name, meaning }) => (language === 'en' ? meaning : (meanings[name] ?? meaning));
}
