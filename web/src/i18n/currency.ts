import { createContext, use } from 'react';

/** The currency until the service has reported its own. */
export const defaultCurrency = 'CNY';

const CurrencyContext = createContext(defaultCurrency);

/** The currency of all amounts, as an ISO 4217 code. */
export const CurrencyProvider = CurrencyContext.Provider;

export function useCurrency(): string {
  return use(CurrencyContext);
}
