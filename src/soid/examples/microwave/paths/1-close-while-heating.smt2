; The door is open while heating: close it.
(set-logic QF_BV)
(declare-const error Bool)
(declare-const closed Bool)
(declare-const heat Bool)
(declare-const running Bool)
(declare-const started Bool)
(declare-const action (_ BitVec 8))
(declare-const |started'| Bool)
(assert (and (not closed) heat))
(assert (= action #x03)) ; CLOSE
(assert (= |started'| started))
(check-sat)
