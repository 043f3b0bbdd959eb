// Sets colour scheme and language before the first paint. A file of its own: the
// content security policy allows no inline scripts. Storage may be forbidden.
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
  root.lang = language.startsWith('zh') ? 'zh-CN' : 'en';
})();
