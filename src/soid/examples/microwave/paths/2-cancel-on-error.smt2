; An error is shown: cancel.
(set-logic QF_BV)
(declare-const error Bool)
(declare-const closed Bool)
(declare-const heat Bool)
(declare-const running Bool)
(declare-const started Bool)
(declare-const action (_ BitVec 8))
(declare-const |started'| Bool)
(assert (not (and (not closed) heat)))
(assert error)
(assert (= action #x01)) ; CANCEL
(assert (= |started'| started))
(check-sat)
