import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react';
import { readStored, writeStored } from '@/browser/storage';
import { languages, type Language } from './catalogue';
import { locales } from './interpolate';

// public/start.js reads it before the first paint.
const storedAs = 'interlock.language';

interface Choice {
  language: Language;
  choose: (language: Language) => void;
}

const LanguageContext = createContext<Choice>({ language: 'en', choose: () => undefined });

/** Provides the current language, initially the browser's. The choice is stored in this browser and shared by its tabs. */
export function LanguageProvider({ initial, children }: { initial?: Language; children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(() => initial ?? preferred());
  useEffect(() => {
    document.documentElement.lang = locales[language];
  }, [language]);
  useEffect(() => {
    // Another tab has chosen a language.
    const follow = ({ key }: StorageEvent) => {
      if (key === storedAs) setLanguage(preferred());
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, []);
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose: (chosen) => {
        writeStored(storedAs, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): Choice {
  return use(LanguageContext);
}

function preferred(): Language {
  const preferred = readStored(storedAs) ?? navigator.language;
  return languages.find((language) => preferred.startsWith(language)) ?? 'en';
}
