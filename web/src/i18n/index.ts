export { catalogue, isTextOf, type Catalogue, type Language, type LocalText } from './catalogue';
export { CurrencyProvider, defaultCurrency } from './currency';
export { formatFor, useFormat } from './format';
export { chooseTimeStyle, timeStyle, timeStyles, useTimeStyle, type TimeStyle } from './times';
export { LanguageProvider, useLanguage } from './language';
export { useLocalText, useText } from './useText';
