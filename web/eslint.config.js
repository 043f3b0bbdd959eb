import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

// Displayed text comes from the catalogues, colours from the theme, and requests from
// src/api.
const only = (message, selector) => ({ selector, message });

// Each promise has one implementation; these rules reject a second one.
const engines = [
  only('Requests of a domain belong into its queries.ts.', "CallExpression[callee.object.name='api'][callee.property.name=/^(GET|POST|PUT|PATCH|DELETE)$/]"),
  only('Set the window title with useWindowTitle.', "AssignmentExpression[left.object.name='document'][left.property.name='title']"),
  only('Download files through src/ui/table/csv.ts.', "MemberExpression[object.name='URL'][property.name='createObjectURL']"),
  only(
    'Use the code and the parameters of an error; do not parse its sentences.',
    'CallExpression[callee.object.property.name=/^(message|detail)$/][callee.property.name=/^(includes|match|matchAll|startsWith|endsWith|split|replace|indexOf|search)$/]',
  ),
  only(
    'Use the code and the parameters of an error; do not parse its sentences.',
    "CallExpression[callee.property.name='test'][arguments.0.property.name=/^(message|detail)$/]",
  ),
  only(
    'Create and store the key of a write with useKeyedMutation or the hooks that are based on it.',
    "CallExpression[callee.name='idempotent'][arguments.0.type='CallExpression']",
  ),
];
const look = [
  only('Colours come from the theme.', 'Literal[value=/^#[0-9a-fA-F]{3,8}$/]'),
  only('Text comes from a catalogue (see src/i18n).', 'JSXText[value=/[A-Za-z\\u4e00-\\u9fff]{2}/]'),
];
const fetchOnly = { name: 'fetch', message: 'Requests go through src/api.' };
const places = [
  { name: 'localStorage', message: 'Store data in the browser through src/browser.' },
  { name: 'sessionStorage', message: 'Store data in the browser through src/browser.' },
  { name: 'BroadcastChannel', message: 'Send messages between tabs through src/browser.' },
  { name: 'EventSource', message: 'Use the stream of src/api: a browser has one.' },
  { name: 'Intl', message: 'Format numbers, amounts and times with useFormat (src/i18n).' },
];

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
      // TanStack Router redirects and reports not found by thrown values.
      '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'package', package: '@tanstack/router-core', name: ['Redirect', 'NotFoundError'] }] }],
      // A file exports one component; it may contain the parts of the component.
      'no-restricted-globals': ['error', fetchOnly],
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
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/*.test.{ts,tsx}', 'src/ui/brand/**', 'src/test/**'],
    rules: { 'no-restricted-syntax': ['error', ...engines], 'no-restricted-globals': ['error', fetchOnly, ...places] },
  },
  {
    files: ['src/**/*.tsx'],
    ignores: ['src/**/*.test.tsx', 'src/ui/brand/**'],
    rules: { 'no-restricted-syntax': ['error', ...engines, ...look] },
  },
  // The implementations themselves.
  {
    files: ['src/**/queries.ts', 'src/api/**', 'src/browser/**', 'src/ui/title.ts', 'src/ui/table/csv.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  { files: ['src/i18n/**'], rules: { 'no-restricted-globals': ['error', fetchOnly] } },
  // These requests are not part of the service's contract.
  { files: ['src/api/**', 'src/browser/**', 'e2e/**', 'public/**'], rules: { 'no-restricted-globals': 'off' } },
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
              message: 'Write through useKeyedMutation or the hooks that are based on it (src/ui/edit).',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/features/**/*.{ts,tsx}'],
    ignores: ['src/**/*.test.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@tanstack/react-query',
              importNames: ['useMutation'],
              message: 'Write through useKeyedMutation or the hooks that are based on it (src/ui/edit).',
            },
            { name: '@/merge', importNames: ['threeWay', 'resolve'], message: 'Merge with src/ui/edit and show conflicts with src/ui/conflict.' },
            { name: '@/browser/drafts', message: 'Store drafts with useDraft and useSlot (src/ui/edit).' },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.test.{ts,tsx}', 'build/**/*.test.ts'],
    ignores: ['src/**/*.mocked.test.tsx'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['mock', 'doMock'].map((property) => ({
          object: 'vi',
          property,
          message: 'Test files share their modules: name a file that mocks a module *.mocked.test.tsx (see vite.config.ts).',
        })),
      ],
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  { files: ['build/**', 'e2e/**', '*.js', '*.ts'], languageOptions: { globals: globals.node }, rules: { 'no-console': 'off' } },
  // Playwright reads from the parameter which fixtures a fixture depends on, here none.
  { files: ['e2e/site.ts'], rules: { 'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }] } },
);
