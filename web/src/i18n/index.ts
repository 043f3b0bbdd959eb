export { catalogue, languages, type Catalogue, type Language, type LocalText } from './catalogue';
export { CurrencyProvider, defaultCurrency } from './currency';
export { formatFor, useFormat, type Format } from './format';
export { LanguageProvider, useLanguage } from './language';
export { useLocalText, useText, type Translate } from './useText';
