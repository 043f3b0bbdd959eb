// Sets colour scheme and language before the first paint, and requests the session while the
// program is loaded. It is a separate file, because the content security policy allows no inline
// scripts. Storage may be forbidden.
(() => {
  const root = document.documentElement;
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const chosen = stored('interlock.colours');
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  const language = stored('interlock.language') ?? navigator.language;
  // src/api/firstSession.ts adopts the reply; undefined for a request that failed.
  const request = { cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(20_000) };
  globalThis.firstSession = fetch('/api/v1/session', request).catch(() => undefined);
  root.lang = language.startsWith('zh') ? 'zh-CN' : 'en';
})();
