// Package currency lists the currencies of ISO 4217 with their minor units.
//
// The source is list one of ISO 4217 (SIX, edition of 2026-01-01), without the codes that have
// no minor unit: precious metals, XDR, XTS, XXX. CLDR, the table of browsers and of
// golang.org/x/text, differs for more than ten currencies, because it contains the digits in
// everyday use: 0 for IQD, for which ISO 4217 has 3.
package currency

import (
	"slices"
	"strings"
)

// Default is the currency of a tenant that is created without one.
const Default = "CNY"

// byMinorDigits contains the codes by the number of decimals.
var byMinorDigits = [...]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
		COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
		JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
		NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
		THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
	3: "BHD IQD JOD KWD LYD OMR TND",
	4: "CLF UYW",
}

// MinorDigits returns the number of decimals of a currency: 2 for CNY, 0 for JPY. ok is false for a
// code that is not in the list; codes are in capital letters.
func MinorDigits(code string) (digits int, ok bool) {
	digits = slices.IndexFunc(byMinorDigits[:], func(codes string) bool { return slices.Contains(strings.Fields(codes), code) })
	return digits, digits >= 0
}
