import { createContext, use } from 'react';

/** What money is in until the service has said what it keeps it in. */
export const defaultCurrency = 'CNY';

const CurrencyContext = createContext(defaultCurrency);

/** The currency that all money is in, by its code in ISO 4217. */
export const CurrencyProvider = CurrencyContext.Provider;

export function useCurrency(): string {
  return use(CurrencyContext);
}
