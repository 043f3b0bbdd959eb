import { createContext, use } from 'react';

/** The currency of all amounts, from the session. */
export interface Currency {
  /** The code of ISO 4217. */
  readonly currency: string;
  /** The number of decimals by ISO 4217. Intl uses another number for some currencies. */
  readonly minorDigits: number;
}

/** The currency before the sign-in. */
export const defaultCurrency: Currency = { currency: 'CNY', minorDigits: 2 };

const CurrencyContext = createContext(defaultCurrency);

export const CurrencyProvider = CurrencyContext.Provider;

export function useCurrency(): Currency {
  return use(CurrencyContext);
}
