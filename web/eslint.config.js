import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

// Text that people read comes from the catalogues, colours from the theme, and
// requests from src/api.
const only = (message, selector) => ({ selector, message });

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.d.ts', 'src/routeTree.gen.ts', 'e2e/report'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: { allowDefaultProject: ['*.js', 'build/*.mjs', 'public/*.js'] }, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      // TanStack Router redirects and signals not found by throwing what it returns.
      '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'package', package: '@tanstack/router-core', name: ['Redirect', 'NotFoundError'] }] }],
      // One component a file is a rule of the house; a file may hold what it is made of.
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Requests go through src/api.' }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      // The React compiler is not used, so libraries that it cannot handle are fine.
      'react-hooks/incompatible-library': 'off',
    },
  },
  {
    files: ['src/**/*.tsx'],
    ignores: ['src/**/*.test.tsx', 'src/ui/brand/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        only('Colours come from the theme.', 'Literal[value=/^#[0-9a-fA-F]{3,8}$/]'),
        only('Text comes from a catalogue (see src/i18n).', 'JSXText[value=/[A-Za-z\\u4e00-\\u9fff]{2}/]'),
      ],
    },
  },
  // The page itself is no request to the service's contract.
  { files: ['src/api/**', 'src/browser/version.ts', 'e2e/**'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/ui/edit/**', 'src/ui/signin/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@tanstack/react-query',
              importNames: ['useMutation'],
              message: 'Writes go through useKeyedMutation and what stands on it (see src/ui/edit).',
            },
          ],
        },
      ],
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  { files: ['build/**', 'e2e/**', '*.js', '*.ts'], languageOptions: { globals: globals.node }, rules: { 'no-console': 'off' } },
);
